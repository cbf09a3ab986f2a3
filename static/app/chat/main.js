// The chat page: joins connection, conversation, message box and what stands around them.

import { Composer } from "./composer.js";
import { setUp as setUpContext } from "./context.js";
import { Conversation, showModel } from "./conversation.js";
import { $ } from "./dom.js";
import * as gauge from "./gauge.js";
import { listen } from "./keys.js";
import { Link } from "./link.js";
import { Prompts } from "./prompts.js";
import { RpcError } from "./rpc.js";
import * as say from "./say.js";
import { refresh as refreshSessions, setUp as setUpSessions } from "./sessions.js";
import * as timeline from "./timeline.js";
import { askPermission } from "./tools.js";
import * as turns from "./turns.js";
import { keepTime } from "../times.js";

const page = $("chat");
const drive = page.dataset.drive === "yes";

const conversation = new Conversation(page.dataset.session, {
  turn: (running) => composer.running(running),
  commands: (list) => composer.commands(list),
  loaded: () => {
    const id = conversation.id;
    turns.annotate(id, () => conversation.id === id);
    askPosture();
  },
  changed,
  undo,
});

const composer = new Composer(conversation.id, {
  send: (text) => prompts.send(text),
  stop: () => {
    link.rpc?.notify("session/cancel", { sessionId: conversation.id });
    say.status("Stopping");
  },
});

const link = new Link({
  handlers: {
    notification: (method, params) => conversation.notification(method, params),
    request: serve,
  },
  ready,
  state: say.connection,
  probe: (rpc) => (conversation.id ? rpc.request("_tidemark/context", { sessionId: conversation.id }) : rpc.request("session/list", {})),
});

const prompts = new Prompts({
  rpc: () => (attached ? link.rpc : null),
  session: ensureSession,
  restore: (text) => composer.restore(text),
});

let attached = false;

/** Opens the protocol on a new connection and goes on where the last one ended. */
async function ready(rpc) {
  attached = false;
  await rpc.request("initialize", {
    protocolVersion: 1,
    clientInfo: { name: "tidemark-chat", version: "1" },
    clientCapabilities: { session: { compaction: {} }, _meta: { "tidemark/ext": {} } },
  });
  try {
    await conversation.attach(rpc);
  } catch (error) {
    if (error instanceof RpcError && error.code === -32002) link.end("This session does not exist any more.");
    throw error;
  }
  attached = true;
  prompts.again();
}

/** The id of the session; a new one is made with the first message. */
async function ensureSession(rpc) {
  if (conversation.id) return conversation.id;
  const model = $("model-choice")?.value;
  const answer = await rpc.request("session/new", {
    cwd: "/",
    mcpServers: [],
    ...(model ? { _meta: { "tidemark/config": { model } } } : {}),
  });
  conversation.begin(answer.sessionId);
  moveTo(answer.sessionId, answer._meta?.["tidemark/config"]?.model ?? model);
  return answer.sessionId;
}

function moveTo(id, model) {
  page.dataset.session = id;
  history.replaceState(null, "", `/s/${id}`);
  composer.moved(id);
  $("model-choice")?.remove();
  if (model) showModel(model);
  $("open-context").hidden = false;
  $("open-figures").hidden = false;
  $("open-figures").href = `/ops/s/${id}`;
  refreshSessions(id);
}

/** Answers what the server asks. Who only reads along leaves the answer to the owner. */
function serve(method, params, signal) {
  if (method !== "session/request_permission") throw new RpcError({ code: -32601, message: `method not found: ${method}` });
  if (!drive) return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } })));
  say.status("The agent asks for permission");
  return askPermission(timeline.place, params, signal);
}

/** After a turn began or ended, or a compaction. */
function changed(what, turn) {
  refreshSessions(conversation.id);
  if (what === "started") return;
  askPosture();
  if (what === "ended" && turn && !prompts.active) turns.annotateOther(conversation.id, turn);
}

async function askPosture() {
  const rpc = link.rpc;
  if (!rpc || !conversation.id) return;
  try {
    gauge.posture(await rpc.request("_tidemark/context", { sessionId: conversation.id }));
  } catch {
    // the gauge keeps its last tick
  }
}

async function undo() {
  try {
    await link.rpc?.request("_tidemark/undo_compaction", { sessionId: conversation.id });
    say.status("Compaction undone");
    askPosture();
  } catch (error) {
    say.notice(error.message);
  }
}

setUpContext(() => conversation.id, (method, params) => link.rpc?.request(method, params) ?? Promise.reject(new Error("There is no connection at the moment.")));
setUpSessions();
listen(composer);
keepTime();
$("banner-retry").addEventListener("click", () => link.retry());
link.start();
composer.focus();
