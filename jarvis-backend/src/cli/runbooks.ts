import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fault, JarvisError } from 'protocol'
import type { Config } from '../config/config.ts'
import { toolFacts } from '../plans/tool-facts.ts'
import { parseRunbook } from '../runbooks/parse.ts'
import { createCatalog } from '../tools/catalog.ts'
import { houseTools } from '../tools/house.ts'
import type { Tool } from '../tools/tool.ts'
import { createWorkspace } from '../workspace/files.ts'
import type { Input } from './options.ts'
import { createQuestions } from './questions.ts'
import { localUrl, proverOf } from './remote/reach.ts'
import { type RunbookEnd, startRunbook } from './start-runbook.ts'

const folder = 'runbooks/'

type Asked = Input<{ url?: string; wait?: string }>

/**
 * `jarvis runbooks`: lists the runbooks of the data dir, reports the problems of a file, or starts a runbook on the running server. The tools of
 * attached servers are not known here.
 */
export async function runbooks(config: Config, { values, positionals }: Asked): Promise<void> {
  const [action = 'list', file, ...rest] = positionals
  if (action === 'run' && file !== undefined) return await run(config, file, { values, positionals: rest })
  const tools = toolFacts(createCatalog(houseTools as unknown as Tool[]), ({ tier }) => tier)
  const faultsOf = (text: string) => parseRunbook(text, tools).facts
  if (action === 'check' && file !== undefined) {
    const { faults, title, steps } = faultsOf(readFileSync(file, 'utf8'))
    console.log(faults.length === 0 ? `${title}: ${steps.length} steps, no fault.` : lines(file, faults))
    if (faults.length > 0) process.exitCode = 1
    return
  }
  if (action !== 'list')
    throw new JarvisError('invalid_request', 'Use runbooks list, runbooks check FILE, or runbooks run NAME key=value.')
  const workspace = createWorkspace(join(config.dataDir, 'workspace'))
  const paths = workspace.list().filter(({ path }) => path.startsWith(folder) && path.endsWith('.md'))
  for (const { path } of paths) {
    const { title, inputs, faults } = faultsOf(workspace.read(path).text)
    const asked = inputs.map(({ name, isRequired }) => `${name}${isRequired ? '' : '?'}`).join(' ')
    console.log(`${path.slice(folder.length, -3)}  ${title}${asked === '' ? '' : `  (${asked})`}`)
    if (faults.length > 0) console.log(lines(path, faults))
  }
  if (paths.length === 0) console.log('There is no runbook. The first start writes those that come with JARVIS.')
}

/** Exit codes: 3 if a card waits for a person or the time is over, 4 if the card was not approved, 1 if the plan failed. */
const exitCodes: Record<RunbookEnd, number> = { done: 0, failed: 1, waits: 3, open: 3, denied: 4 }

async function run(config: Config, name: string, { values, positionals }: Asked): Promise<void> {
  const waitS = Number(values.wait ?? '600')
  if (!Number.isFinite(waitS) || waitS < 0)
    throw new JarvisError('invalid_request', '--wait takes seconds, for example 600.')
  const inputs = positionals.map((given) => {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(given) ?? []
    if (key === undefined || value === undefined)
      throw new JarvisError('invalid_request', `${given}: write inputs as key=value, such as node=pve.`)
    return [key, value] as const
  })
  const url = values.url ?? localUrl(config)
  const ask = values.url === undefined ? proverOf(config.dataDir, url) : undefined
  // Check that the right server answers before the person types the password.
  await ask?.(`${url}/health`, {})
  const end = await startRunbook({
    ask,
    url: url.replace(/\/$/, ''),
    name,
    inputs: Object.fromEntries(inputs),
    waitMs: waitS * 1000,
    everyMs: 1_000,
    // The password of this machine's server is sent to no other server.
    password: (values.url === undefined ? config.password : undefined) ?? (await askPassword()),
    say: (line) => console.log(line),
    now: Date.now,
    sleep,
  })
  process.exitCode = exitCodes[end]
}

async function askPassword(): Promise<string> {
  const { stdin: input, stderr: output } = process
  const questions = createQuestions({ input, output, isTerminal: input.isTTY })
  try {
    return await questions.askSecret('Password')
  } finally {
    questions.close()
  }
}

const lines = (path: string, faults: readonly Fault[]) =>
  faults.map(({ line, column, message }) => `${path}:${line}:${column ?? 1}  ${message}`).join('\n')
