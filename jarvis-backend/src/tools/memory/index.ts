import { memoryGet } from './memory-get.ts'
import { memorySearch } from './memory-search.ts'
import { memoryWrite } from './memory-write.ts'

/** The tools over the memory. */
export const memoryTools = [memorySearch, memoryGet, memoryWrite]
