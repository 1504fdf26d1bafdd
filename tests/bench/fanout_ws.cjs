// The `ws` server of the fan-out benchmark: tells its port, waits for "go", sends, tells its CPU time.
const { readFileSync } = require("fs");
const { WebSocketServer } = require("ws");

const TICK_MILLISECONDS = 50;
const WARM_UP = 20; // ticks that do not count
const frames = readFileSync(process.argv[2], "utf8").split("\n");
const say = (value) => process.stdout.write(JSON.stringify(value) + "\n");

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
server.on("listening", () => say({ port: server.address().port, path: "/" }));
server.on("connection", (socket) =>
  socket.on("message", () => socket.send('{"type":"welcome"}')),
);

process.stdin.once("data", () => {
  const start = process.hrtime.bigint();
  let before = process.cpuUsage();
  let sent = 0;
  const tick = () => {
    if (sent === WARM_UP) before = process.cpuUsage();
    for (const socket of server.clients) socket.send(frames[sent]);
    sent += 1;
    if (sent === frames.length) {
      // What is still to be done for the last one belongs to it.
      setTimeout(() => {
        const { user, system } = process.cpuUsage(before);
        say({ cpu_seconds: (user + system) / 1e6 });
      }, TICK_MILLISECONDS);
      return;
    }
    const elapsed = Number(process.hrtime.bigint() - start) / 1e6;
    setTimeout(tick, Math.max(0, sent * TICK_MILLISECONDS - elapsed));
  };
  tick();
});
