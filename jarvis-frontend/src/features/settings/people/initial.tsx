/** The first letter of a person's name, in a circle. */
export const Initial = ({ name }: { name: string }) => (
  <span className="initial" aria-hidden="true">
    {name.slice(0, 1).toUpperCase()}
  </span>
)
