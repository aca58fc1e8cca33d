// The last day of a person, as a field of a form gives it, in the time of this device.

/** `2026-12-31` ends with its midnight; an empty field is no end. */
export function endOf(day: string): string | null {
  if (day === '') return null;
  const end = new Date(`${day}T00:00`);
  end.setDate(end.getDate() + 1);
  return end.toISOString();
}

/** The day that the last moment is in. */
export function dayOf(end: string | null): string {
  if (end === null) return '';
  const last = new Date(Date.parse(end) - 1);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${last.getFullYear()}-${two(last.getMonth() + 1)}-${two(last.getDate())}`;
}
