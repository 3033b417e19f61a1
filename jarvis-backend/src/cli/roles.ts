import { JarvisError, type RoleInfo, type TryRoleReply } from 'protocol'
import type { Config } from '../config/config.ts'
import type { Input } from './options.ts'
import { asOperatorOnce } from './remote/operator.ts'
import { reach } from './remote/reach.ts'

const usage = 'Use roles, or roles try PERSON TOOL [key=value …] (--role NAME in place of PERSON).'

/** `jarvis roles`: shows the rights of each role, and the verdict that a call would get. Changes nothing. */
export async function roles(
  config: Config,
  { values, positionals }: Input<{ role?: string; url?: string; json?: boolean }>,
): Promise<void> {
  const [action, ...rest] = positionals
  const remote = await reach(config, values.url)
  if (action === undefined) {
    const { items } = await remote.call('GET /api/roles')
    console.log(values.json === true ? JSON.stringify(items, null, 2) : items.map(line).join('\n'))
    return
  }
  const [person, toolName, ...given] = values.role === undefined ? rest : ['', ...rest]
  if (action !== 'try' || toolName === undefined) throw new JarvisError('invalid_request', usage)
  const who = values.role === undefined ? { person } : { role: values.role }
  const body = { ...who, toolName, toolInput: Object.fromEntries(given.map(pair)) }
  const reply = await asOperatorOnce(remote, 'Trying out a role', (operator) =>
    operator.call('POST /api/roles/try', { body }),
  )
  console.log(values.json === true ? JSON.stringify(reply, null, 2) : tried(reply))
}

const line = ({ name, builtIn, sentence, people }: RoleInfo) =>
  `${name}${builtIn ? '' : ' (policy.yaml)'}, ${people} ${people === 1 ? 'person' : 'people'}\n  ${sentence}`

const words = { runs: 'Runs', asks: 'Asks', refused: 'Refused', black: 'Refused' }
const tried = ({ verdict, tier, rule, because, who, steps = [] }: TryRoleReply) =>
  [
    `${words[verdict]} (${tier}, ${rule}): ${because}`,
    ...(who === undefined ? [] : [`Who decides: ${who}.`]),
    ...steps.map(
      (step) =>
        `  ${step.number}. ${step.toolName}: ${step.verdict === undefined ? 'Not known' : words[step.verdict]}. ${step.because}`,
    ),
  ].join('\n')

function pair(text: string): [string, unknown] {
  const at = text.indexOf('=')
  if (at < 1) throw new JarvisError('invalid_request', `${text} is no key=value. ${usage}`)
  const value = text.slice(at + 1)
  try {
    return [text.slice(0, at), JSON.parse(value)]
  } catch {
    return [text.slice(0, at), value]
  }
}
