/** A refusal before there is a task: the words are Proxmox's. */
export class Refusal extends Error {
  readonly status: number
  readonly errors: Record<string, string> | undefined
  constructor(status: number, message: string, errors?: Record<string, string>) {
    super(message)
    this.status = status
    this.errors = errors
  }
}

/** What Proxmox says of parameters that are wrong: which, and how. */
export const misfit = (errors: Record<string, string>) => new Refusal(400, 'Parameter verification failed.', errors)

/** What Proxmox says to a token without the right, or to anybody but root. */
export const forbidden = (what: string) => new Refusal(403, `Permission check failed (${what})`)
