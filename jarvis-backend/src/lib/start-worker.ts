import { type ResourceLimits, Worker } from 'node:worker_threads'

/** Starts a thread that runs `script`. The script is the built file or, in development, the TypeScript source, which is loaded with tsx. */
export function startWorker(script: URL, workerData?: unknown, resourceLimits: ResourceLimits = {}): Worker {
  if (!script.pathname.endsWith('.ts')) return new Worker(script, { workerData, resourceLimits })
  const from = JSON.stringify(script.href)
  return new Worker(`import('tsx/esm/api').then(({ register }) => { register(); return import(${from}) })`, {
    eval: true,
    workerData,
    resourceLimits,
  })
}
