import { existsSync, readFileSync } from 'node:fs'
import { JarvisError, type SshKeyReply } from 'protocol'
import type { Config } from '../config/config.ts'
import type { Input } from './options.ts'
import { asOperatorOnce } from './remote/operator.ts'
import { reach } from './remote/reach.ts'
import type { Remote } from './remote/remote.ts'
import { signBySsh } from './ssh-sign.ts'
import { columns, styleFor } from './terminal/style.ts'
import { visible } from './terminal/visible.ts'

const usage = 'Use signers, signers add FILE.pub [--sign OLDER_KEY], or signers remove FINGERPRINT.'

/** `jarvis signers`: manages the SSH keys that sign your decisions. Requires a password that is typed at a terminal. */
export async function signers(
  config: Config,
  { values, positionals }: Input<{ url?: string; sign?: string }>,
): Promise<void> {
  const [action = 'list', what = '', ...rest] = positionals
  if (rest.length > 0 || (what === '') !== (action === 'list')) throw new JarvisError('invalid_request', usage)
  const remote = await reach(config, values.url)
  const withPassword = (words: string, work: (operator: Remote, stepUp: () => Promise<unknown>) => Promise<void>) =>
    asOperatorOnce(remote, words, async (operator, stepUp) => {
      await work(operator, stepUp)
      return true
    })
  switch (action) {
    case 'list':
      await withPassword('The list of your keys', list)
      return
    case 'add': {
      const key = readKey(what)
      await withPassword('A key', async (operator, stepUp) => {
        await stepUp()
        await add(operator, key, values.sign)
      })
      return
    }
    case 'remove':
      await withPassword('Removing a key', async (operator, stepUp) => {
        await stepUp()
        await operator.call('DELETE /api/signers/ssh/:id', { params: { id: what } })
        console.log('Removed. It decides no more; what it has signed stays valid.')
      })
      return
    default:
      throw new JarvisError('invalid_request', usage)
  }
}

async function list(operator: Remote) {
  const { items } = await operator.call('GET /api/signers/ssh')
  if (items.length === 0) console.log('No SSH key signs for you.')
  else
    console.log(
      columns(
        items.map(({ id, name }) => [id, visible(name)]),
        styleFor(process.stdout),
      ).join('\n'),
    )
}

async function add(operator: Remote, key: string, older: string | undefined) {
  const reply = await operator.call('POST /api/signers/ssh', { body: { key } })
  const added = reply.key ?? (await countersigned(operator, reply.countersign, older))
  console.log(`${added.id} signs for you from now on.`)
}

function countersigned(operator: Remote, asked: SshKeyReply['countersign'], older: string | undefined) {
  if (asked === undefined) throw new JarvisError('internal', 'The server names neither a key nor what to sign.')
  const { statement, namespace, sshKeys } = asked
  if (sshKeys.length === 0)
    throw new JarvisError(
      'conflict',
      'A passkey of yours must sign it: add the key in the dashboard, Settings, People and devices, SSH keys.',
    )
  if (older === undefined)
    throw new JarvisError(
      'conflict',
      `An older key of yours must sign it: add --sign and its file (${sshKeys.join(', ')}).`,
    )
  const signature = signBySsh(statement, namespace, older)
  return operator.call('POST /api/signers/ssh/countersign', { body: { statement, signature } })
}

/** Reads the line of a `.pub` file. The name of its private key may be given instead. */
function readKey(file: string): string {
  const path = file.endsWith('.pub') || !existsSync(`${file}.pub`) ? file : `${file}.pub`
  const text = readFileSync(path, 'utf8')
  if (text.includes('PRIVATE KEY'))
    throw new JarvisError('invalid_request', `${file} is a private key. Name the .pub file beside it; it was not sent.`)
  return text.trim()
}
