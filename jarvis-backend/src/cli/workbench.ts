import type { Config } from '../config/config.ts'
import { policyPath, readPolicy } from '../config/policy-file.ts'
import { compilePolicy } from '../gate/index.ts'
import { workbenchLines } from '../gate/policy/workbench.ts'
import { areaNames } from '../protocol/index.ts'
import { areas } from '../workbench/areas.ts'
import { rootProblem } from '../workbench/root-problem.ts'
import { readOptions } from './options.ts'
import { table } from './table.ts'

/** `jarvis workbench`: what policy.yaml turns on. What a running server lacks, `jarvis doctor` says. */
export async function workbench(config: Config, args: string[]): Promise<void> {
  readOptions(args, table.workbench.options)
  const read = readPolicy(policyPath(config.dataDir))
  if (read.kind === 'broken') throw new Error(read.problems.join('\n'))
  const { workbench: policy } = compilePolicy(read.kind === 'read' ? { file: read.file } : {})
  for (const name of areaNames) {
    const isOn = areas[name].isOn(policy)
    console.log(
      `${name.padEnd(8)} ${isOn === true ? 'on' : isOn === false ? 'off' : 'on where a search address is set'}`,
    )
  }
  for (const line of workbenchLines(policy)) console.log(`  ${line}`)
  for (const { path } of policy.roots) {
    const problem = rootProblem(path)
    if (problem !== undefined) console.log(`  ${problem}`)
  }
}
