import type { Shell } from 'homelab-ports/ports'
import { NoSshSetUp } from '../homelab/ssh/credentials.ts'
import { CannotRun } from './check.ts'

/**
 * The output of a read-only command on a node. @throws CannotRun if SSH is not set up or the program does not exist; Error with the program's words
 * if it failed
 */
export async function printed(
  shell: Pick<Shell, 'run'>,
  { node, stage }: { node: string; stage: readonly string[] },
  signal: AbortSignal,
): Promise<string> {
  const { stdout, stderr, exitCode } = await shell.run(node, [stage], { signal }).catch((error: unknown) => {
    throw error instanceof NoSshSetUp ? new CannotRun(error.message) : error
  })
  if (exitCode === 127) throw new CannotRun(`${stage[0]} is not installed on ${node}.`)
  if (exitCode !== 0 && stdout.trim() === '')
    throw new Error(`${stage[0]} on ${node}: ${stderr.trim() || `exit code ${exitCode}`}`)
  return stdout
}
