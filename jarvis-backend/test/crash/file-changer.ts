import { applyFiles, type Given } from './apply-files.ts'

/** A process that changes files, and dies at the step that it is told. */
const { dieAt, ...given } = JSON.parse(process.argv[2] ?? '') as Given & { dieAt: string }
await applyFiles(given, (step) => {
  if (step === dieAt) process.kill(process.pid, 'SIGKILL')
})
