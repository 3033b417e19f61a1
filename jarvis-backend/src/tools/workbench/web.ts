import { webFetch } from './web-fetch.ts'
import { webSearch } from './web-search.ts'

/** The tools over the web. */
export const webTools = [webSearch, webFetch]
