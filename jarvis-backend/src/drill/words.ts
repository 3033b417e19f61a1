import { type Drill, levelWords } from './drill.ts'

/** Adds a full stop if the text has none. Proxmox's messages end without one. */
export const withStop = (text: string) => text.replace(/[^.!?]$/, '$&.')

/** One sentence about the result of a drill. */
export function sentenceOf({ vmid, level, verdict, problem, left, copy, step, system }: Drill): string {
  const what = {
    proven: `The newest backup of ${vmid} is proven to level ${level}: ${levelWords[level]}${system === undefined ? '' : ` (${system})`}.`,
    failed: `The newest backup of ${vmid} did not come to life.`,
    stopped: `The drill of ${vmid} was broken off, and says nothing of the backup.`,
    open: `The drill of ${vmid} goes on.`,
  }[verdict]
  const gone = left ?? (step === 'ended' ? `Its copy ${copy} is gone.` : `Its copy ${copy} is being removed.`)
  return [what, problem && withStop(problem), gone].filter((part) => part !== undefined).join(' ')
}
