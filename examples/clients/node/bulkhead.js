// SPDX-License-Identifier: Apache-2.0
// A client of bulkheadd, see bulkhead-api(7).
import {EventEmitter} from "node:events";
import {createConnection} from "node:net";
import {createInterface} from "node:readline";
import {JSONRPCClient, JSONRPCServer, JSONRPCServerAndClient} from "json-rpc-2.0";

// Emits "event" with {subscription, sequence, kind, at, data}, and "close".
export class Bulkhead extends EventEmitter {
  #socket;
  #rpc;

  constructor(path = "/run/bulkhead/bulkhead.sock") {
    super();
    let reason = "bulkheadd has closed the connection";
    this.#socket = createConnection(path);
    this.#rpc = new JSONRPCServerAndClient(
        new JSONRPCServer(),
        new JSONRPCClient((message) => void this.#socket.write(JSON.stringify(message) + "\n")));
    this.#rpc.addMethod("event", (event) => void this.emit("event", event));
    createInterface({input: this.#socket}).on("line", (line) => {
      const message = JSON.parse(line);
      if (message.id === null) reason = message.error.message;  // about the connection
      else this.#rpc.receiveAndSend(message);
    });
    this.#socket.on("error", (error) => void (reason = error.message));
    this.#socket.on("close", () => {
      this.#rpc.rejectAllPendingRequests(reason);
      this.emit("close");
    });
  }

  // Resolves to the result. Rejects with an Error; what the daemon refused has `code` and `data`.
  call(method, params = {}) {
    return this.#rpc.request(method, params);
  }

  close() {
    this.#socket.destroy();
  }
}
