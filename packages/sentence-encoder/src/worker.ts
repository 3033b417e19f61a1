import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { installedModel } from './installed-model.ts'
import { passageVector } from './passage-vector.ts'
import { openSentenceEncoder } from './sentence-encoder.ts'

/** The thread that encodes texts. 100 words take about 30 ms, during which the thread can do nothing else. */
// The low priority applies only to this thread, and only on Linux. The process's other threads get the processor first.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
const { folder } = workerData as { folder: string | undefined }
// If the model cannot be opened, the thread ends, which rejects every waiting call.
const encode = openSentenceEncoder(folder ?? installedModel())

parentPort?.on('message', ({ id, texts }: { id: number; texts: string[] }) => {
  parentPort?.postMessage({ id, vectors: texts.map((text) => passageVector(encode, text)) })
})
