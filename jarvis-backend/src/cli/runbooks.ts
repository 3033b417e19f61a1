import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { toolFacts } from '../plans/tool-facts.ts'
import { type Fault, JarvisError } from '../protocol/index.ts'
import { parseRunbook } from '../runbooks/parse.ts'
import { createCatalog } from '../tools/catalog.ts'
import { houseTools } from '../tools/house.ts'
import type { Tool } from '../tools/tool.ts'
import { createWorkspace } from '../workspace/files.ts'

const folder = 'runbooks/'

/** `jarvis runbooks`: lists the runbooks of the data dir, or names what is wrong with a file. Tools of attached servers are not known here. */
export async function runbooks(config: Config, [action = 'list', file]: string[]): Promise<void> {
  const tools = toolFacts(createCatalog(houseTools as unknown as Tool[]), ({ tier }) => tier)
  const faultsOf = (text: string) => parseRunbook(text, tools).facts
  if (action === 'check' && file !== undefined) {
    const { faults, title, steps } = faultsOf(readFileSync(file, 'utf8'))
    console.log(faults.length === 0 ? `${title}: ${steps.length} steps, no fault.` : lines(file, faults))
    if (faults.length > 0) process.exitCode = 1
    return
  }
  if (action !== 'list') throw new JarvisError('invalid_request', 'Use runbooks list, or runbooks check FILE.')
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

const lines = (path: string, faults: readonly Fault[]) =>
  faults.map(({ line, column, message }) => `${path}:${line}:${column ?? 1}  ${message}`).join('\n')
