// The connection to the server: requests with answers, updates by request, and coming back after a break.

import { emit } from "./bus.js";

const RETRY_MS = 1000;

/** Sends a message; `onUpdate` hears what belongs to it in between. Rejects with an Error that says what is wrong. */
export class Link {
  constructor(address) {
    this.address = address;
    this.serial = 0;
    this.open = new Map(); // id -> { resolve, reject, onUpdate }
    this.queue = [];
    this.connected = false;
    this.connect();
  }

  connect() {
    this.socket = new WebSocket(this.address);
    this.socket.addEventListener("open", () => {
      this.connected = true;
      for (const text of this.queue.splice(0)) this.socket.send(text);
      emit("link", { connected: true });
    });
    this.socket.addEventListener("message", (event) => this.receive(JSON.parse(event.data)));
    this.socket.addEventListener("close", () => {
      const was = this.connected;
      this.connected = false;
      for (const { reject } of this.open.values()) reject(new Error("disconnected"));
      this.open.clear();
      this.queue.length = 0;
      if (was) emit("link", { connected: false });
      setTimeout(() => this.connect(), RETRY_MS);
    });
  }

  receive(message) {
    const request = this.open.get(message.id);
    if (message.type === "error") {
      if (request) {
        this.open.delete(message.id);
        request.reject(new Error(message.message));
      } else {
        emit("problem", message.message);
      }
    } else if (!request) {
      if (message.id === undefined) emit(message.type, message); // hello, engine; late updates are dropped
    } else if (message.type === "update") {
      request.onUpdate?.(message);
    } else {
      this.open.delete(message.id);
      request.resolve(message);
    }
  }

  ask(type, content = {}, onUpdate = null) {
    const id = ++this.serial;
    const answer = new Promise((resolve, reject) => this.open.set(id, { resolve, reject, onUpdate }));
    this.send({ type, id, ...content });
    return answer;
  }

  send(message) {
    const text = JSON.stringify(message);
    if (this.connected) this.socket.send(text);
    else this.queue.push(text);
  }
}
