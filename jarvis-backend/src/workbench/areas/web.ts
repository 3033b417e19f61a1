import type { SearchConfig } from '../../config/search.ts'
import { withPorts } from '../../tools/tool.ts'
import { webTools } from '../../tools/workbench/web.ts'
import { createFetchSite, type FetchSite } from '../web/fetch-site.ts'
import { createPageReader } from '../web/page-reader.ts'
import { createPages } from '../web/pages.ts'
import { brave } from '../web/search/brave.ts'
import type { SearchEngine } from '../web/search/engine.ts'
import { searxng } from '../web/search/searxng.ts'
import type { Area, Bench } from './area.ts'

const remedy =
  'set JARVIS_SEARCH_URL to the address of your SearXNG, or JARVIS_SEARCH_KEY to a key of Brave Search, in .env, and restart'

/** The web area: pages as text, and a search if one is set. */
export function composeWeb(
  bench: Bench,
  {
    search,
    pageWorker,
    fetchSite = createFetchSite({ isOwn: bench.isOwnPlace }),
    engine = engineOf(search, bench),
  }: WebParts,
): Area {
  const pages = createPages({ fetchSite, readPage: createPageReader({ worker: pageWorker }), now: bench.now })
  const ports = {
    pages,
    engine,
    isListed: (site: string) => bench.policy().web.private.has(site),
    redact: bench.redact,
  }
  return {
    name: 'web',
    tools: withPorts(webTools, ports).map((tool) =>
      engine !== undefined || tool.givesAddresses !== true
        ? tool
        : {
            ...tool,
            effects: (input, world) =>
              tool.effects(input, world).map((effect) => ({
                ...effect,
                atLeast: { tier: 'black', because: `No search service is set: ${remedy}.`, isAlways: true },
              })),
          },
    ),
    missing: () => (engine === undefined ? [{ what: 'a search service', remedy }] : []),
    facts: () => (engine === undefined ? [] : [`searches with ${engine.place}`]),
    isOnByItself: () => engine !== undefined,
    forget: pages.forget,
  }
}

/** `fetchSite` and `engine`: replace the network, for tests. `pageWorker`: the built program of the thread that reads pages. */
export type WebParts = {
  search: SearchConfig | undefined
  fetchSite?: FetchSite
  engine?: SearchEngine
  pageWorker?: URL | undefined
}

const engineOf = (search: SearchConfig | undefined, { clock }: Bench): SearchEngine | undefined =>
  search === undefined ? undefined : 'url' in search ? searxng(search.url) : brave(search.key, clock)
