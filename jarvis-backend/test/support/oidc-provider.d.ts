// The library has no types of its own; this is as much of it as the tests use.
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  type Grant = { addOIDCScope(scope: string): void; save(): Promise<string> }
  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
    Client: { prototype: { redirectUriAllowed(uri: string): boolean } }
    Grant: new (of: {
      clientId: string
      accountId: string
    }) => Grant
  }
}
