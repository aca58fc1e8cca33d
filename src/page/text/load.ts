// Loads the words of a language when they are asked for: the browser keeps each in a file of its own.
import { ENGLISH, type Language, type Texts } from './texts.ts';

export async function loadTexts(language: Language): Promise<Texts> {
  switch (language) {
    case 'en':
      return ENGLISH;
    case 'ru':
      return (await import('./ru.data.ts')).ru;
    case 'es':
      return (await import('./es.data.ts')).es;
    case 'zh':
      return (await import('./zh.data.ts')).zh;
  }
}
