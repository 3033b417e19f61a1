import { type Grant, JarvisError } from 'protocol'
import { callWords } from '../calls/call-words.ts'
import type { Config } from '../config/config.ts'
import type { Input } from './options.ts'
import { asOperatorOnce } from './remote/operator.ts'
import { reach } from './remote/reach.ts'
import { columns, leftOf, styleFor } from './terminal/style.ts'
import { visible } from './terminal/visible.ts'

/** `jarvis grants`: lists the grants, by which calls run without a card for now. Revoking one requires a password that is typed at a terminal. */
export async function grants(
  config: Config,
  { values, positionals }: Input<{ url?: string; json?: boolean }>,
): Promise<void> {
  const [action, id = '', ...rest] = positionals
  if (rest.length > 0 || (action !== undefined && (action !== 'revoke' || id === '')))
    throw new JarvisError('invalid_request', 'Use grants, or grants revoke ID.')
  const remote = await reach(config, values.url)
  if (action === 'revoke') {
    await asOperatorOnce(remote, 'Revoking a grant', (operator) =>
      operator.call('DELETE /api/grants/:id', { params: { id } }).then(() => true),
    )
    console.log('Revoked. Such calls ask again.')
    return
  }
  const { items } = await remote.call('GET /api/grants')
  if (values.json === true) console.log(JSON.stringify(items, null, 2))
  else if (items.length === 0) console.log('No grant is in force.')
  else console.log(columns(items.map(rowOf), styleFor(process.stdout)).join('\n'))
}

const rowOf = ({ id, toolName, toolInput, scope, by, expiresAt, usesLeft }: Grant) => [
  id,
  leftOf(expiresAt - Date.now()),
  `${usesLeft} left`,
  `by ${visible(by)}`,
  visible(scope?.words ?? callWords({ toolName, toolInput })),
]
