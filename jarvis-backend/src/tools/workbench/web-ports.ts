import type { Pages } from '../../workbench/web/pages.ts'
import type { SearchEngine } from '../../workbench/web/search/engine.ts'
import { toolOver } from '../tool.ts'

/** The parts that the tools over the web act through. `engine`: undefined if no search service is set. `isListed`: policy.yaml lists the site under `web: private`. */
export type WebPorts = {
  pages: Pages
  engine: SearchEngine | undefined
  isListed(site: string): boolean
  /** Redacts a text, including the secrets that this server knows. */
  redact(text: string): string
}

export const webTool = toolOver<WebPorts>()
