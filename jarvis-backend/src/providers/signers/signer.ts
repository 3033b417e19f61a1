/** A request before it is sent. Names of headers are in lower case. */
export type UnsignedRequest = {
  method: string
  url: URL
  headers: Readonly<Record<string, string>>
  body?: string | Buffer | undefined
}

/** Proves by headers who sends a request. The key itself is not sent. */
export interface Signer {
  /** The parts of the key and the tokens made from it. They are removed from a server's messages. */
  secrets(): readonly string[]
  /** Returns the headers to add. @throws ModelError `model_auth` or `model_unreachable` if there is no proof, with the reason */
  headers(request: UnsignedRequest, signal?: AbortSignal): Promise<Record<string, string>>
  /** Tells that the server refused the proof, so that the next request gets another one. */
  refused?(): void
}

/** A form of key that signs requests. Other keys are sent as they are. */
export interface KeyForm {
  fits(key: string): boolean
  /** Returns why a key of this form cannot be used at an address; undefined: it can. Never quotes the key. */
  fault(key: string, baseUrl: string | undefined): string | undefined
  /** The part of a usable key that is no secret and tells a person which key it is. */
  nameOf(key: string): string
  signer(key: string): Signer
}
