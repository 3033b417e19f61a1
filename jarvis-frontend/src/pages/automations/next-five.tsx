import { dayWord, timeIn } from '../../features/jobs/words.ts'

type Next = { next: readonly number[]; now: number; zone: string; clockChange: string | undefined }
/** The next times of a schedule in its time zone, and the effect of a change to or from summer time on them. */
export function NextFive({ next, now, zone, clockChange }: Next) {
  return (
    <>
      <ol className="next-five num">
        {next.map((at) => (
          <li key={at}>
            <span>{dayWord(at, now, zone)}</span> {timeIn(at, zone)}
          </li>
        ))}
      </ol>
      {clockChange !== undefined && <p className="job-none">{clockChange}</p>}
    </>
  )
}
