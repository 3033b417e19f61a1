/** An SVG path: an arc of the circle with radius `r` around (`c`, `c`), clockwise, in degrees from the top. */
export function arcPath({ c, r }: { c: number; r: number }, from: number, to: number): string {
  const point = (degrees: number) => {
    const radians = ((degrees - 90) * Math.PI) / 180
    return `${(c + r * Math.cos(radians)).toFixed(2)} ${(c + r * Math.sin(radians)).toFixed(2)}`
  }
  return `M${point(from)}A${r} ${r} 0 ${to - from > 180 ? 1 : 0} 1 ${point(to)}`
}
