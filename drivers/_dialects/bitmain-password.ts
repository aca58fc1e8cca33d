// A new password on Bitmain's web of 2020 and later (atlas 3.4): the present one goes along, as on its own page. A page
// behind the login shows whether the new one opens.
import * as kit from '../../src/driver/kit/index.ts';
import { page, submit } from './bitmain-web.ts';

const DONE = 'P000';
const LONGEST = 32;

export const password = kit.password({
  // Its web server may start anew.
  offlineS: [0, 30],
  pattern: kit.plainPassword(LONGEST),
  provesLogin: (link) => link.send(page('get_system_info.cgi')),
  set: (link, wanted) =>
    kit.command(
      link,
      'set the password of',
      {
        ...submit('passwd.cgi', { json: { newPwd: wanted, confirmPwd: wanted } }),
        carry: ({ password: current }) => ({ json: { curPwd: current } }),
        freshLogin: true,
      },
      (answer) => {
        const [stats, code, msg] = [answer.text('stats', 32), answer.text('code', 32), answer.text('msg')];
        if (code === DONE) return stats === undefined || stats === 'success' || msg;
        if (code === undefined) return stats === 'success' ? true : stats === undefined ? undefined : kit.refused(msg);
        // A yes with the code of a no is neither.
        return stats === 'success' ? undefined : kit.refused(`${code} ${msg ?? ''}`.trim());
      },
    ),
});
