import type { ToolInfo } from 'protocol'
import type { Config } from '../config/config.ts'
import type { Input } from './options.ts'
import { reach } from './remote/reach.ts'
import { columns, markOf, styleFor } from './terminal/style.ts'
import { visible } from './terminal/visible.ts'

/** `jarvis tools`: lists the tools with their tiers; for a single tool also its arguments. */
export async function tools(
  config: Config,
  { values, positionals }: Input<{ url?: string; json?: boolean }>,
): Promise<void> {
  const word = positionals.join(' ').toLowerCase()
  const remote = await reach(config, values.url)
  const all = (await remote.call('GET /api/tools')).items
  const exact = all.filter(({ name }) => name === word)
  const found =
    exact.length > 0
      ? exact
      : all.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(word))
  if (values.json === true) {
    console.log(JSON.stringify(found, null, 2))
    return
  }
  const style = styleFor(process.stdout)
  if (found.length === 0) console.log('No tool has that word.')
  const rows = found.map(({ name, tier, description }) => [
    markOf(tier, style),
    name,
    visible(/^.*?\.(?=\s|$)/s.exec(description)?.[0] ?? description),
  ])
  if (rows.length > 0) console.log(columns(rows, style).join('\n'))
  const [one] = found
  if (found.length === 1 && one !== undefined) for (const line of argumentsOf(one)) console.log(line)
}

function argumentsOf({ inputSchema, raises = [] }: ToolInfo): string[] {
  const { properties = {}, required = [] } = inputSchema as {
    properties?: Record<string, { type?: string; description?: string; enum?: unknown[] }>
    required?: string[]
  }
  return [
    ...Object.entries(properties).map(
      ([name, { type, description, enum: values }]) =>
        `  ${name}${required.includes(name) ? '' : '?'}=${values?.join('|') ?? type ?? 'value'}${description === undefined ? '' : `  ${visible(description)}`}`,
    ),
    ...raises.map(({ tier, words }) => `  ${tier}: ${visible(words)}`),
  ]
}
