import { loadEnv } from '../config/settings-file.ts'
import { nativeProblem } from '../lib/native-problem.ts'
import { proxySettings, readProxies } from '../lib/proxies.ts'
import { goOutBy } from '../lib/way-out.ts'
import { exitOf, runCommand } from './run-command.ts'
import { printable } from './terminal/visible.ts'

const outside = { ...process.env }

// A reader such as `head` closes the pipe once it has enough. That is not a failure.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })

const isJson = process.argv.some((word) => word === '--json' || word === '--jsonl')
for (const [name, stream] of [
  ['log', process.stdout],
  ['error', process.stderr],
] as const) {
  const write = console[name]
  const form = isJson && name === 'log' ? 'json' : 'text'
  console[name] = (...parts: unknown[]) =>
    write(
      ...parts.map((part) =>
        typeof part === 'string' ? printable(part, { form, hasColours: stream.isTTY === true }) : part,
      ),
    )
}

try {
  loadEnv()
  await goOutBy(readProxies(proxySettings(process.env)))
  await runCommand(process.argv.slice(2), process.env, { outside })
} catch (error) {
  const native = nativeProblem(error)
  const exit = native === undefined ? exitOf(error) : { message: native, code: 1 }
  if (exit === undefined) throw error
  console.error(exit.message)
  process.exitCode = exit.code
}
