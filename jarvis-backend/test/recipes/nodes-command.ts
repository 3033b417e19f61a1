import { JarvisError } from 'protocol'
import { defineCommand, json } from '../../src/cli/command.ts'

export const nodesCommand = defineCommand({
  name: 'nodes',
  group: 'Look',
  forms: [{ args: '[NAME]', about: 'the nodes that JARVIS_NODES names, or one of them' }],
  options: { json },
  example: 'nodes pve1',
  run({ nodes }, { values, positionals: [wanted] }) {
    const found = [...nodes].filter(([name]) => wanted === undefined || name === wanted)
    if (wanted !== undefined && found.length === 0)
      throw new JarvisError('not_found', `JARVIS_NODES does not name ${wanted}.`)
    const lines = found.map(([name, { host }]) => `${name}  ${host}`)
    // biome-ignore lint/suspicious/noConsole: commands print to the console; `src/cli` may.
    console.log(values.json === true ? JSON.stringify(found.map(([name]) => name)) : lines.join('\n'))
  },
})
