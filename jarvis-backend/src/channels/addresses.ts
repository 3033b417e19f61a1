/** Returns the reason why a value is not a valid URL of a service; undefined if it is valid. */
export function addressProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return 'must be an address, for example https://ntfy.lan'
  const { protocol, search, hash } = new URL(value)
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https:// or http://'
  return search === '' && hash === '' ? undefined : 'must have no query and no fragment'
}

/** The URL without slashes at its end. */
export const baseOf = (value: string): string => value.replace(/(?<!\/)\/+$/, '')

/** The host of a URL, to show to people. */
export const hostOf = (value: string): string => new URL(value).host

/** Makes URLs of the dashboard's pages. */
export class Pages {
  readonly #publicUrl: string | undefined

  constructor(publicUrl: string | undefined) {
    this.#publicUrl = publicUrl
  }

  /** The full URL of a path; undefined if the dashboard's public URL is not known. */
  linkTo(path: string): string | undefined {
    return this.#publicUrl === undefined ? undefined : new URL(path, this.#publicUrl).href
  }
}
