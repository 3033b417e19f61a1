export type Program = 'Chromium' | 'sshd'
export const programs: Record<Program, { find(): string | undefined; install: string }>
