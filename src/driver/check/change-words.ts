// Whether the name of a page or a command says that it changes something on a device.

/** CGMiner writes such words without a break. */
const CGMINER_CHANGES =
  /^((add|switch|remove|enable|disable)pool|pool(priority|quota)|(asc|pga|gpu)(set|enable|disable|restart|engine|mem|fan|vddc|intensity)|hotplug|debug|setconfig)$/i;
/** Words in the names of pages and commands that restart, store or install something on known devices. */
const CHANGES =
  /(^|[^a-z])(re?boot|re?start|reset|quit|shutdown|power_?off|halt|upgrade|update_?(pwd|firmware)|upload|install|delete|remove|save|apply|write|set|enable|disable|switch|add|clear|zero|factory(?!-?info)|passwd|changepw|restore|logout)(?![a-z])/i;

/** The word that says so; undefined = none does. */
export function changeNamedIn(name: string): string | undefined {
  if (CGMINER_CHANGES.test(name)) return name;
  return CHANGES.exec(name.replaceAll(/([a-z])([A-Z])/g, '$1-$2').replaceAll('_', '-'))?.[2];
}
