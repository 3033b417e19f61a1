import { visible } from '../text.ts'
import { type Challenge, scopesOf } from './discovery.ts'

const mostWants = 50

/** The sign-in that a server asks for. `url`: the server's address at that time. `wants`: scopes that the present sign-in lacks. */
type Ask = { url: string; challenge: Challenge; wants: string[] }

/** The sign-ins and scopes that servers asked for since their last sign-in. */
export class Asked {
  readonly #asked = new Map<string, Ask>()

  of(server: string, url: string): Ask | undefined {
    const asked = this.#asked.get(server)
    return asked?.url === url ? asked : undefined
  }

  forget(server: string): void {
    this.#asked.delete(server)
  }

  /** Keeps the sign-in that an answer with status 401 asks for. */
  async challenge(server: string, url: string, response: Response): Promise<void> {
    const { resourceMetadataUrl, scope } = await challengeOf(response)
    const wants = this.#asked.get(server)?.wants ?? []
    const challenge = {
      ...(resourceMetadataUrl && { metadataUrl: resourceMetadataUrl.href }),
      ...(scope !== undefined && { scopes: scopesOf(scope) }),
    }
    this.#asked.set(server, { url, challenge, wants })
  }

  /**
   * Keeps the scopes that an answer with status 403 asks for.
   * @param refused.heldScopes the scopes of the server's token; undefined without a token
   * @returns all scopes that the server wants, fit to be shown; undefined if the request was refused for something else
   */
  async stepUp(
    server: string,
    url: string,
    { response, heldScopes }: { response: Response; heldScopes(): readonly string[] | undefined },
  ): Promise<{ wants: string[]; isNew: boolean } | undefined> {
    const { error, scope, resourceMetadataUrl } = await challengeOf(response)
    const held = heldScopes()
    if (error !== 'insufficient_scope' || held === undefined) return undefined
    const before = this.#asked.get(server)
    const wanted = scopesOf(scope).filter((one) => !held.includes(one))
    const wants = [...new Set([...(before?.wants ?? []), ...wanted])].slice(0, mostWants)
    if (wants.length === 0) return undefined
    const isNew = wants.length !== (before?.wants.length ?? 0)
    const challenge = before?.challenge ?? (resourceMetadataUrl ? { metadataUrl: resourceMetadataUrl.href } : {})
    if (isNew) this.#asked.set(server, { url, wants, challenge })
    return { wants: wants.map((one) => visible(one, 100)), isNew }
  }
}

async function challengeOf(response: Response) {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
  return extractWWWAuthenticateParams(response)
}
