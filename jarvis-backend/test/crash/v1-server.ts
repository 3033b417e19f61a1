import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { noting, obedient } from '../support/v1-model.ts'
import { type Around, listen } from './listen.ts'

/** A server whose model does as it is told, with a tool that writes a line outside of JARVIS between `effect begun` and `effect done`. */
export function serveV1({ dataDir }: { dataDir: string }, around: Around) {
  const { tool } = noting((line) => {
    around.reach('effect begun')
    appendFileSync(join(dataDir, 'lines'), `${line}\n`)
    around.reach('effect done')
  })
  return listen(around, dataDir, { model: obedient(), tools: [tool] })
}
