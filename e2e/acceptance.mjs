// Drives a running server with the public ACP client, unmodified, and prints one JSON line a check (protocol section 6).
//
//   node acceptance.mjs URL KEY        or TIDEMARK_URL and TIDEMARK_KEY
//
// URL is that of the server (http://host:port). Exit status 1 when a check failed. Every frame that arrives is also
// validated against the JSON schema of the client's own package, and whatever the client complains about counts as a
// failure.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import * as acp from "@agentclientprotocol/sdk";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { WebSocket } from "ws";
import * as z from "zod";

const base = process.argv[2] ?? process.env.TIDEMARK_URL;
const key = process.argv[3] ?? process.env.TIDEMARK_KEY;
if (!base || !key) {
  process.stderr.write("usage: node acceptance.mjs URL KEY\n");
  process.exit(2);
}
const url = base.replace(/^http/, "ws").replace(/\/$/, "") + "/acp";
const patience = 60_000;

// ---- the schema

const require = createRequire(import.meta.url);
const schema = JSON.parse(readFileSync(require.resolve("@agentclientprotocol/sdk/schema/v1/schema.json"), "utf8"));
const definitions = { call: {}, answer: {} };
for (const [name, def] of Object.entries(schema.$defs)) {
  const method = def["x-method"];
  if (method) definitions[name.endsWith("Response") ? "answer" : "call"][method] = name;
}
const compiled = {};
function validator(name) {
  compiled[name] ??= z.fromJSONSchema({ $schema: schema.$schema, $ref: `#/$defs/${name}`, $defs: schema.$defs });
  return compiled[name];
}

const invalid = []; // frames that do not validate
let validated = 0;
function validate(kind, method, value, frame) {
  const name = definitions[kind][method];
  if (!name) {
    if (!method?.startsWith("_")) invalid.push({ method, frame, problem: "the schema knows no such method" });
    return;
  }
  validated++;
  const out = validator(name).safeParse(value);
  if (!out.success) invalid.push({ method, frame: frame.slice(0, 500), problem: out.error.issues.slice(0, 3) });
}

// ---- one connection of the public client, with every frame looked at on its way in

const complaints = []; // what the client prints when it is not content
console.error = (...args) => complaints.push(args.map((a) => (typeof a === "string" ? a : JSON.stringify(a))).join(" "));
console.warn = console.error;

function connect({ tools = {} } = {}) {
  const seen = { updates: [], turns: [], history: [], calls: [], handled: [] };
  const methods = new Map(); // of requests that wait for their answer, by id
  class Socket extends WebSocket {
    constructor(...args) {
      super(...args);
      this.on("message", (data) => inspect(JSON.parse(data.toString()), data.toString()));
    }
    send(data, ...rest) {
      const message = JSON.parse(data.toString());
      if (message.method && message.id !== undefined) methods.set(message.id, message.method);
      return super.send(data, ...rest);
    }
  }
  function inspect(message, frame) {
    if (message.method) validate("call", message.method, message.params, frame);
    else if (message.result !== undefined) validate("answer", methods.get(message.id), message.result, frame);
    if (message.method === "session/update") seen.updates.push(message.params);
    if (message.method === "_tidemark/turn") seen.turns.push(message.params);
    if (message.method === "_tidemark/history") seen.history.push(message.params);
  }
  const app = acp
    .client({ name: "acceptance" })
    .onNotification("session/update", () => {})
    .onRequest("session/request_permission", ({ params }) => ({
      outcome: { outcome: "selected", optionId: params.options[0].optionId },
    }))
    .onRequest("_tidemark/tool_call", (p) => p, async ({ params }) => {
      seen.calls.push(params);
      return { content: [{ type: "text", text: tools[params.name](params.input) }], isError: false };
    })
    .onNotification("_tidemark/turn", (p) => p, ({ params }) => seen.handled.push(params.state));
  const stream = createWebSocketStream(url, { WebSocket: Socket, headers: { Authorization: `Bearer ${key}` }, protocols: ["acp.v1"] });
  const connection = app.connect(stream);
  return { agent: connection.agent, connection, seen };
}

async function open(options) {
  const c = connect(options);
  c.initialized = await c.agent.request("initialize", {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientInfo: { name: "acceptance", version: "1.0.0" },
    clientCapabilities: { session: { compaction: {} }, _meta: { "tidemark/ext": {} } },
  });
  return c;
}

// ---- helpers

const results = [];
async function check(name, run) {
  let detail;
  let ok = true;
  try {
    detail = await within(run(), name);
  } catch (e) {
    ok = false;
    detail = e?.message ?? String(e);
  }
  results.push(ok);
  process.stdout.write(JSON.stringify({ check: name, ok, detail }) + "\n");
}

function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing for ${patience} ms`)), patience);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function expect(condition, words) {
  if (!condition) throw new Error(words);
}

async function until(holds, what) {
  const deadline = Date.now() + patience;
  while (!holds()) {
    expect(Date.now() < deadline, `waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const small = { threshold_tokens: 2000, hard_cap_tokens: 6000, tail_max_tokens: 1500, max_tokens: 600, preserve_recent_turns: 1 };
const say = (n) => `Tell me about the harbour wall. [[say ${n}]]`;
const text = (t) => [{ type: "text", text: t }];
const kind = (k) => (u) => u.update.sessionUpdate === k;
const of = (c, id, k) => c.seen.updates.filter((u) => u.sessionId === id).filter(kind(k));
const prompt = (c, sessionId, t, meta) => c.agent.request("session/prompt", { sessionId, prompt: text(t), ...(meta && { _meta: meta }) });

// ---- the checks

const look = { name: "look", description: "Look something up", inputSchema: { type: "object", properties: { n: { type: "integer" } } } };
const main = await within(open({ tools: { look: (input) => `seen ${JSON.stringify(input)}` } }), "initialize");
let id, answered;

await check("initialize", async () => {
  const a = main.initialized;
  expect(a.protocolVersion === 1, `version ${a.protocolVersion}`);
  expect(a.agentCapabilities.loadSession === true, "loadSession");
  for (const verb of ["list", "resume", "close", "delete"]) expect(a.agentCapabilities.sessionCapabilities[verb], verb);
  expect(a.agentCapabilities._meta["tidemark/ext"].seq === true, "the extension block");
  return a.agentInfo;
});

await check("new", async () => {
  const r = await main.agent.request("session/new", {
    cwd: "/acceptance",
    mcpServers: [],
    _meta: { "tidemark/config": { compaction: small }, "tidemark/tools": [look] },
  });
  id = r.sessionId;
  expect(r._meta["tidemark/config"].compaction.threshold_tokens === 2000, "the override took effect");
  expect(r.configOptions.map((o) => o.id).join() === "model,compaction_mode", "two options");
  await until(() => of(main, id, "available_commands_update").length > 0, "the commands");
  return { sessionId: id };
});

await check("prompt", async () => {
  answered = await prompt(main, id, say(200), { "tidemark/idempotencyKey": "first" });
  expect(answered.stopReason === "end_turn", answered.stopReason);
  expect(answered._meta["tidemark/usage"].output > 0, "usage");
  expect(/^\d/.test(answered._meta["tidemark/usage"].costUsd), "an exact cost");
  const ended = main.seen.turns.filter((t) => t.sessionId === id && t.state === "ended");
  expect(ended.length === 1, "the turn ended before its answer");
  await until(() => main.seen.handled.join() === "started,ended", "the client's own handlers of our notifications");
  return answered;
});

await check("a retry with the same key runs nothing again", async () => {
  const before = main.seen.turns.length;
  const again = await prompt(main, id, say(200), { "tidemark/idempotencyKey": "first" });
  expect(JSON.stringify(again) === JSON.stringify(answered), "the stored answer");
  expect(main.seen.turns.length === before, "no turn");
  const refused = await prompt(main, id, "something else", { "tidemark/idempotencyKey": "first" }).catch((e) => e);
  expect(refused.code === -32052, `another body: ${refused.code}`);
});

await check("a tool of the client", async () => {
  const r = await prompt(main, id, 'Look. [[tool look {"n":7}]]');
  expect(r.stopReason === "end_turn", r.stopReason);
  expect(main.seen.calls.length === 1 && main.seen.calls[0].input.n === 7, "called once");
  await until(() => of(main, id, "tool_call_update").some((u) => u.update.status === "completed"), "its result");
});

await check("a forced compaction, and the gauge drops", async () => {
  for (let i = 0; i < 12 && !terminal(main, id).length; i++) await prompt(main, id, say(700));
  const updates = main.seen.updates.filter((u) => u.sessionId === id);
  const at = updates.findIndex((u) => kind("compaction_update")(u) && u.update.status === "completed");
  expect(at >= 0, "no compaction completed");
  const done = updates[at].update;
  expect(done.summary?.[0]?.text?.length > 0, "its text comes with the end");
  const first = updates.findIndex((u) => kind("compaction_update")(u) && u.update.compactionId === done.compactionId);
  expect(updates[first].update.status === "in_progress", "it was shown in progress first");
  const gauge = (list) => list.filter(kind("usage_update")).filter((u) => u.update.size > 0).map((u) => u.update.used);
  const before = gauge(updates.slice(0, first)).at(-1);
  const after = gauge(updates.slice(at))[0];
  expect(after < before, `${before} before, ${after} after`);
  await until(() => of(main, id, "compaction_update").some((u) => u.update._meta?.["tidemark/compaction"]?.tokens_after_measured > 0), "the measured size");
  return { before, after, record: done._meta["tidemark/compaction"].id };
});

function terminal(c, session) {
  return of(c, session, "compaction_update").filter((u) => u.update.status !== "in_progress");
}

await check("cancel in the middle of a compaction", async () => {
  const r = await main.agent.request("session/new", {
    cwd: "/acceptance/cancel",
    mcpServers: [],
    _meta: { "tidemark/config": { compaction: { ...small, mode: "semantic" } } },
  });
  const session = r.sessionId;
  const running = () => of(main, session, "compaction_update").some((u) => u.update.status === "in_progress");
  let turn;
  for (let i = 0; i < 12 && !running(); i++) {
    let over = false;
    turn = prompt(main, session, `${say(700)} [[summarizer hang]]`).then((a) => ((over = true), a));
    await until(() => over || running(), "a turn");
  }
  expect(running(), "no compaction began");
  expect(!terminal(main, session).length, "it hangs");
  await main.agent.notify("session/cancel", { sessionId: session });
  const answer = await turn;
  expect(answer.stopReason === "cancelled", answer.stopReason);
  const end = terminal(main, session);
  expect(end.length === 1 && end[0].update.status === "cancelled", `ended as ${end.map((u) => u.update.status)}`);
  const next = await prompt(main, session, "/context");
  expect(next.stopReason === "end_turn", "the session goes on");
  return { compaction: end[0].update.compactionId };
});

await check("commands", async () => {
  const before = of(main, id, "agent_message_chunk").length;
  const r = await prompt(main, id, "/cost");
  expect(r.stopReason === "end_turn", r.stopReason);
  expect(of(main, id, "agent_message_chunk").slice(before).some((u) => u.update.content.text.includes("Compaction:")), "the figures");
  const pass = await main.agent.request("_tidemark/compact", { sessionId: id, focus: "the harbour" }).catch((e) => e);
  expect(pass.trigger === "manual" || pass.code === -32055, JSON.stringify(pass));
});

await check("set_config_option", async () => {
  const r = await main.agent.request("session/set_config_option", { sessionId: id, configId: "compaction_mode", value: "mechanical" });
  expect(r.configOptions.find((o) => o.id === "compaction_mode").currentValue === "mechanical", "the new value");
  await until(() => of(main, id, "config_option_update").length > 0, "the update");
});

await check("load", async () => {
  const c = await open({ tools: { look: () => "" } });
  await c.agent.request("session/load", { sessionId: id, cwd: "/acceptance", mcpServers: [], _meta: { "tidemark/tools": [look] } });
  expect(c.seen.history.map((h) => h.mark).join() === "begin,end", "between marks");
  const replayed = c.seen.updates.filter((u) => u._meta["tidemark/replayed"]);
  expect(replayed.filter(kind("user_message_chunk")).length >= 3, "the user's messages");
  expect(replayed.filter(kind("agent_message_chunk")).length >= 3, "the answers");
  expect(replayed.some((u) => kind("tool_call")(u) && u.update.status === "completed"), "the tool call");
  expect(replayed.some((u) => kind("compaction_update")(u) && u.update.status === "completed"), "the compaction");
  const live = of(c, id, "agent_message_chunk").length;
  const r = await prompt(c, id, say(50));
  expect(r.stopReason === "end_turn" && of(c, id, "agent_message_chunk").length > live, "it goes on live");
  c.connection.close();
  await c.connection.closed;
  return { replayed: replayed.length };
});

await check("resume", async () => {
  const rows = (c) => c.seen.updates.filter((u) => u.sessionId === id && u._meta?.["tidemark/seq"]);
  const last = rows(main).at(-1)._meta;
  const from = last["tidemark/seq"] - 10;
  const c = await open();
  const r = await c.agent.request("session/resume", {
    sessionId: id,
    cwd: "/acceptance",
    _meta: { "tidemark/after": from, "tidemark/epoch": last["tidemark/epoch"] },
  });
  const state = r._meta["tidemark/resume"];
  expect(state.recovered === true && state.resumedFrom === from, JSON.stringify(state));
  for (const u of rows(c)) {
    const same = rows(main).find((m) => m._meta["tidemark/seq"] === u._meta["tidemark/seq"]);
    expect(same && JSON.stringify(same) === JSON.stringify(u), `row ${u._meta["tidemark/seq"]} differs`);
  }
  const old = await c.agent.request("session/resume", { sessionId: id, cwd: "/acceptance", _meta: { "tidemark/after": 1, "tidemark/epoch": "another" } });
  expect(old._meta["tidemark/resume"].recovered === false, "another epoch");
  c.connection.close();
  await c.connection.closed;
  return state;
});

await check("list", async () => {
  const all = await main.agent.request("session/list", {});
  expect(all.sessions.some((s) => s.sessionId === id), "it is there");
  const filtered = await main.agent.request("session/list", { cwd: "/acceptance/cancel" });
  expect(filtered.sessions.length === 1 && filtered.sessions[0].sessionId !== id, "by folder");
  return { sessions: all.sessions.length };
});

await check("close", async () => {
  await main.agent.request("session/close", { sessionId: id });
  const r = await prompt(main, id, say(20));
  expect(r.stopReason === "end_turn", "a prompt opens it again");
});

await check("delete", async () => {
  await main.agent.request("session/delete", { sessionId: id });
  const gone = await main.agent.request("session/load", { sessionId: id, cwd: "/", mcpServers: [] }).catch((e) => e);
  expect(gone.code === -32002, `load after delete: ${gone.code}`);
  const list = await main.agent.request("session/list", {});
  expect(!list.sessions.some((s) => s.sessionId === id), "it is not listed");
});

main.connection.close();
await main.connection.closed;

await check("every frame validates", async () => {
  expect(invalid.length === 0, JSON.stringify(invalid.slice(0, 3)));
  return { frames: validated };
});

await check("the client has no complaint", async () => {
  expect(complaints.length === 0, complaints.slice(0, 3).join("; "));
});

process.exit(results.every(Boolean) ? 0 : 1);
