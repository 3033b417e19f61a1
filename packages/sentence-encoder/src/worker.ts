import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { installedModel } from './installed-model.ts'
import { passageVector } from './passage-vector.ts'
import { openSentenceEncoder } from './sentence-encoder.ts'

/** The thread in which texts are encoded: about 30 ms for 100 words, during which nothing else can run in it. */
// The priority is this thread's alone, and only on Linux. The program's other threads get the processor first.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
const { folder } = workerData as { folder: string | undefined }
// A model that cannot be opened ends the thread, which rejects every waiting call.
const encode = openSentenceEncoder(folder ?? installedModel())

parentPort?.on('message', ({ id, texts }: { id: number; texts: string[] }) => {
  parentPort?.postMessage({ id, vectors: texts.map((text) => passageVector(encode, text)) })
})
