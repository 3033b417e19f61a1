import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readPolicy } from './policy-file.ts'

test.each(['mkfifo', 'mkdir'])('what %s made is no policy, and nothing waits for it', (program) => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-policy-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'policy.yaml')
  execFileSync(program, [path])
  expect(readPolicy(path, 'policy.yaml')).toEqual({ kind: 'broken', problems: ['policy.yaml is not a file.'] })
})
