/** A refusal of a request before a task begins, with the text of Proxmox. */
export class Refusal extends Error {
  readonly status: number
  readonly errors: Record<string, string> | undefined
  constructor(status: number, message: string, errors?: Record<string, string>) {
    super(message)
    this.status = status
    this.errors = errors
  }
}

/** Proxmox's answer to invalid parameters, with an error for each of them. */
export const misfit = (errors: Record<string, string>) => new Refusal(400, 'Parameter verification failed.', errors)

/** Proxmox's answer to a token without the right, or to anybody except root. */
export const forbidden = (what: string) => new Refusal(403, `Permission check failed (${what})`)
