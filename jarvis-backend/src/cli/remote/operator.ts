import { JarvisError, type LoginReply } from '../../protocol/index.ts'
import { createPrompt, isTerminal, type Prompt } from '../terminal/prompt.ts'
import type { Remote } from './remote.ts'

/** Stops a command that needs a person where none sits. @throws JarvisError `invalid_request` */
export function requireTerminal(what: string): void {
  if (!isTerminal())
    throw new JarvisError(
      'invalid_request',
      `${what} takes your password, typed at a terminal. It is not read from a pipe or an option.`,
    )
}

/**
 * Does what only an operator may, with the password that is typed now. The sign-in ends with the work.
 * @returns undefined where nothing was typed
 */
export async function asOperator<T>(
  remote: Remote,
  prompt: Prompt,
  words: string,
  work: (operator: Remote, password: string) => Promise<T>,
): Promise<T | undefined> {
  const password = await prompt.secret(`${words} (nothing steps back): `)
  if (password === undefined || password === '') return undefined
  const { token } = await remote.send<LoginReply>('POST', 'auth/login', { password })
  const operator = remote.as(token)
  try {
    return await work(operator, password)
  } finally {
    await operator.send('POST', 'auth/logout')
  }
}

/** The same where no prompt is open yet. */
export async function asOperatorOnce<T>(
  remote: Remote,
  what: string,
  work: (operator: Remote, password: string) => Promise<T>,
): Promise<T> {
  requireTerminal(what)
  const prompt = createPrompt(process.stdin, process.stderr)
  try {
    const done = await asOperator(remote, prompt, 'Password', work)
    if (done === undefined) throw new JarvisError('invalid_credentials', 'No password was typed: nothing was done.')
    return done
  } finally {
    prompt.close()
  }
}
