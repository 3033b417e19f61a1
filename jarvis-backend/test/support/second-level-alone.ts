import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { belowOf } from 'sandbox/below'
import { landlockAbi } from 'sandbox/landlock'
import { rehearse } from 'sandbox/rehearse'
import { surveyOf } from 'sandbox/survey'

/** A program of its own, so that a test can start it as another user: runs the command of its argument at the second level and prints its end. */
const dir = mkdtempSync(join(tmpdir(), 'alone-'))
const [folder, layers] = [mkdtempSync(join(dir, 'folder-')), mkdtempSync(join(dir, 'layers-'))]
writeFileSync(join(folder, 'a'), 'one\n')
const survey = surveyOf(folder, () => false)
if (survey === undefined) throw new Error('The folder is too large.')
const [, , command = ''] = process.argv
const confined = { level: 'landlock', abi: await landlockAbi() } as const
const running = await rehearse(
  'cmd_1',
  { folder, command, below: belowOf(folder), survey, timeoutMs: 10_000, confined },
  { clock: systemClock, dir: layers, keep: () => undefined, discard: () => undefined, hasRoom: () => true },
)
const end = await running.ended
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), ...end, said: running.output.text() }))
