// What a user imports: the client, its answers, and the one error. Runs wherever there is `fetch`.
export * from './client.js';
export { HelixError, type Address, type CallOptions } from './sending.js';
