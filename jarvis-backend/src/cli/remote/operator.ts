import { JarvisError } from 'protocol'
import { createPrompt, isTerminal, type Prompt } from '../terminal/prompt.ts'
import { type Remote, ServerRefused } from './remote.ts'

/** Stops a command that needs a person if there is no terminal. @throws JarvisError `invalid_request` */
export function requireTerminal(what: string): void {
  if (!isTerminal())
    throw new JarvisError(
      'invalid_request',
      `${what} takes your password, typed at a terminal. It is not read from a pipe or an option.`,
    )
}

/** Work of a command with an operator's rights. `stepUp` proves the operator's identity again, for requests that ask for the password. */
type Work<T> = (operator: Remote, stepUp: () => Promise<unknown>) => Promise<T>

/**
 * Runs work that only an operator may do, with a password that is typed now. The sign-in ends with the work. @returns undefined if nothing was typed
 */
export async function asOperator<T>(
  { remote, prompt }: { remote: Remote; prompt: Prompt },
  words: string,
  work: Work<T>,
): Promise<T | undefined> {
  const password = await prompt.secret(`${words} (nothing steps back): `)
  if (password === undefined || password === '') return undefined
  const { token } = await withCode(prompt, 'Code of your app, or a recovery code', (more) =>
    remote.call('POST /api/auth/login', { body: { password, ...more } }),
  )
  const operator = remote.as(token)
  try {
    return await work(operator, () =>
      withCode(prompt, 'The next code of your app', (more) =>
        operator.call('POST /api/auth/step-up', { body: { password, ...more } }),
      ),
    )
  } finally {
    await operator.call('POST /api/auth/logout')
  }
}

/** Sends a password, and a second-factor code if one is asked for. */
async function withCode<T>(prompt: Prompt, words: string, send: (more: { code?: string }) => Promise<T>): Promise<T> {
  try {
    return await send({})
  } catch (error) {
    if (!(error instanceof ServerRefused) || error.code !== 'second_factor_required') throw error
    return send({ code: (await prompt.secret(`${words}: `)) ?? '' })
  }
}

/** As `asOperator`, if no prompt is open yet. */
export async function asOperatorOnce<T>(remote: Remote, what: string, work: Work<T>): Promise<T> {
  requireTerminal(what)
  const prompt = createPrompt(process.stdin, process.stderr)
  try {
    const done = await asOperator({ remote, prompt }, 'Password', work)
    if (done === undefined) throw new JarvisError('invalid_credentials', 'No password was typed: nothing was done.')
    return done
  } finally {
    prompt.close()
  }
}
