import { vi } from 'vitest'
import { exitOf, runCommand } from '../../src/cli/run-command.ts'
import { password, type TestJarvis } from './start-jarvis.ts'

/**
 * Runs one command of the command line in this process, at a fraction of the cost of a process of its own. For commands that neither read standard
 * input nor need a terminal. One at a time.
 * @param of the server and its data dir, or a data dir alone
 */
export async function commandHere(
  of: Pick<TestJarvis, 'url' | 'dataDir'> | { dataDir: string },
  args: readonly string[],
  more: Record<string, string> = {},
) {
  const server = 'url' in of ? { PORT: new URL(of.url).port, HOST: '127.0.0.1' } : {}
  const env = { HOME: of.dataDir, JARVIS_DATA_DIR: of.dataDir, LOG_LEVEL: 'silent', ...server, ...more }
  const said = { stdout: '', stderr: '' }
  const { HOME: home } = process.env
  const before = process.exitCode
  const heard = (['stdout', 'stderr'] as const).flatMap((name) => {
    const hear = (text: unknown) => {
      said[name] += String(text)
      return true
    }
    const line = (...parts: unknown[]) => void hear(`${parts.map(String).join(' ')}\n`)
    return [
      vi.spyOn(process[name], 'write').mockImplementation(hear),
      vi.spyOn(console, name === 'stdout' ? 'log' : 'error').mockImplementation(line),
    ]
  })
  process.env.HOME = env.HOME
  process.exitCode = undefined
  try {
    await runCommand([...args], env)
    return { code: Number(process.exitCode ?? 0), ...said }
  } catch (error) {
    const exit = exitOf(error)
    if (exit === undefined) throw error
    return { code: exit.code, stdout: said.stdout, stderr: `${said.stderr}${exit.message}\n` }
  } finally {
    for (const spy of heard) spy.mockRestore()
    process.env.HOME = home
    process.exitCode = before
  }
}

/** One command on a data dir, as `jarvis` of `data-dir.ts` in this process. @returns all that it printed */
export async function jarvisHere(dataDir: string, ...args: string[]) {
  const { code, stdout, stderr } = await commandHere({ dataDir }, args, { JARVIS_PASSWORD: password })
  return { code, output: `${stdout}${stderr}`.trim() }
}
