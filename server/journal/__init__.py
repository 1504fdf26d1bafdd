"""The journal: what must outlive the process, so that whoever comes back finds it as it was.

records     what is kept, as types
schema      the tables, and how older files become newer ones
transaction all of some writes, or none
place       where the file lies, links followed
file        who may open a file, and which files are ours
store       records to rows and back; nothing here waits but for the disk
writer      the one that waits: what was decided is told only once it is kept
rooms       rooms to records and back
recovery    rooms at work again, out of what was kept
"""
