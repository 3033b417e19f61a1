/** Says why a value cannot be the address of a service; undefined if it can. */
export function addressProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return 'must be an address, for example https://ntfy.lan'
  const { protocol, search, hash } = new URL(value)
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https:// or http://'
  return search === '' && hash === '' ? undefined : 'must have no query and no fragment'
}

/** An address without a slash at its end. */
export const baseOf = (value: string): string => value.replace(/(?<!\/)\/+$/, '')

/** The host of an address, for people. */
export const hostOf = (value: string): string => new URL(value).host

/** The addresses of the dashboard's pages. */
export class Pages {
  readonly #publicUrl: string | undefined

  constructor(publicUrl: string | undefined) {
    this.#publicUrl = publicUrl
  }

  /** The full address of a path; undefined if the dashboard's address is not known. */
  linkTo(path: string): string | undefined {
    return this.#publicUrl === undefined ? undefined : new URL(path, this.#publicUrl).href
  }
}
