"""What components mean at a moment, in a zone: every rule about rolling, clamping, gaps and defaults is here.

Pure: the same components, `now` and zone give the same instant. Where a form has two defensible readings the earlier
one is taken and noted ("assumed"): an early reading costs a reminder, a late one the deadline.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from tools.dates_errors import Refused
from tools.dates_grammar import (
    Calendar,
    Clock,
    Component,
    DayOfMonth,
    DayPart,
    Elapsed,
    EndOfDay,
    HalfDay,
    Later,
    Midnight,
    NamedPeriod,
    Period,
    Relative,
    Weekday,
    Zone,
)

MORNING = time(9)
LAST_MINUTE = time(23, 59)
END_OF_WORK = time(18)
_FIRST_YEAR, _LAST_YEAR = 1975, 9998

_HALVES: dict[str, dict[int, int]] = {
    "am": {12: 0} | {hour: hour for hour in range(1, 12)},
    "pm": {12: 12} | {hour: hour + 12 for hour in range(1, 12)},
}

# Part of the day -> the hour it means alone, and for each hour said with it the hour of the day.
_PARTS: dict[str, tuple[int | None, dict[int, int]]] = {
    "dawn": (None, {hour: hour for hour in range(7)}),
    "morning": (9, {hour: hour for hour in range(1, 12)}),
    "afternoon": (14, {12: 12} | {hour: hour + 12 for hour in range(1, 9)} | {hour: hour for hour in range(13, 20)}),
    "evening": (19, {hour: hour + 12 for hour in range(4, 12)} | {hour: hour for hour in range(16, 24)}),
    "night": (19, {hour: hour + 12 for hour in range(6, 12)} | {hour: hour for hour in range(18, 24)}),
}

# Abbreviations that mean one offset only; EST or CST, which mean several, are refused.
_ABBREVIATIONS = {"z": "+00:00", "utc": "+00:00", "gmt": "+00:00", "brt": "-03:00"}
_OFFSET = re.compile(r"(?:utc|gmt)?([+-])(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)
_MOST_OFFSET = 14 * 60

Note = tuple[str, dict[str, str]]


@dataclass(slots=True)
class Resolved:
    """An instant, the flags it has and the notes that say why."""

    instant: datetime
    flags: set[str] = field(default_factory=set)
    notes: list[Note] = field(default_factory=list)


def zone_of(name: str) -> tzinfo:
    """Return the zone of an offset ("-03:00", "UTC+5", "Z"), an abbreviation with one meaning, or an IANA name.

    Raises:
        ValueError: if there is no such zone, or the offset is beyond ±14:00 (RFC 3339 knows no seconds in it).
    """
    fixed = _ABBREVIATIONS.get(name.casefold(), name)
    if match := _OFFSET.fullmatch(fixed):
        minutes = int(match[2]) * 60 + int(match[3] or 0)
        if minutes > _MOST_OFFSET or int(match[3] or 0) > 59:
            raise ValueError(f"no such offset: {name}")
        return timezone(timedelta(minutes=-minutes if match[1] == "-" else minutes))
    for candidate in (name, "/".join("_".join(p.capitalize() for p in part.split("_")) for part in name.split("/"))):
        try:
            return ZoneInfo(candidate)
        except (ValueError, OSError, KeyError):
            continue
    raise ValueError(f"no such zone: {name}")


def resolve(parts: Mapping[str, Component], now: datetime, zone: tzinfo, words: Mapping[str, str]) -> Resolved:
    """Return the instant that components name.

    Args:
        parts: Components by slot, as `tools.dates_read` puts them together.
        now: Local date and time in `zone`, without a zone of its own.
        zone: The user's zone: what "today" means, and the zone of the result unless `parts` names one.
        words: Slot -> the words it was read from, for refusals.

    Raises:
        Refused: if they name no instant, or more than one with equal right.
    """
    try:
        return _Resolver(parts, now, zone, words).resolve()
    except (OverflowError, ValueError) as error:
        raise Refused("out_of_range", words.get("date") or words.get("elapsed", "")) from error


class _Resolver:
    """One resolution: the moment, the zone of the result, and what was noted on the way."""

    def __init__(self, parts: Mapping[str, Component], now: datetime, zone: tzinfo, words: Mapping[str, str]) -> None:
        self.parts = parts
        self.words = words
        self.today = now.date()
        self.now = now.replace(tzinfo=zone).astimezone(UTC)
        self.zone = self._zone(zone)
        self.flags: set[str] = set()
        self.notes: list[Note] = []
        self.clock, self.extra_days = self._clock()

    def resolve(self) -> Resolved:
        elapsed = self.parts.get("elapsed")
        instant = self._after(elapsed) if isinstance(elapsed, Elapsed) else self._at(self._day())
        if instant < self.now:
            self._note("past", "past")
        return Resolved(instant, self.flags, self.notes)

    def _note(self, flag: str, key: str, **values: str) -> None:
        self.flags.add(flag)
        self.notes.append((key, values))

    def _said(self, *slots: str) -> str:
        """Return the words of some slots, in the order in which they were said."""
        return " ".join(words for slot, words in self.words.items() if slot in slots)

    # Zone and hour.

    def _zone(self, default: tzinfo) -> tzinfo:
        zone = self.parts.get("zone")
        if not isinstance(zone, Zone):
            return default
        if not set(self.parts) - {"zone"}:
            raise Refused("leftover", self.words["zone"])
        if re.fullmatch(r"[+-]\d\d", zone.name) and "clock" not in self.parts:
            raise Refused("bare_number", zone.name)
        try:
            return zone_of(zone.name)
        except ValueError as error:
            raise Refused("invalid_zone", self.words["zone"]) from error

    def _clock(self) -> tuple[time | None, int]:
        """Return the hour of the day, None if none is named, and the days that midnight adds."""
        clock, part, half = (self.parts.get(slot) for slot in ("clock", "part", "half"))
        if isinstance(clock, Clock):
            return self._hour(clock)
        if half is not None or (clock is not None and part is not None):
            raise Refused("invalid_time", self._said("clock", "part", "half"))
        if isinstance(clock, Midnight):
            return self._midnight(clock.minute), 0 if clock.minute and "date" not in self.parts else 1
        if isinstance(clock, EndOfDay):
            return LAST_MINUTE, 0
        if isinstance(part, DayPart):
            return self._part_alone(part), 0
        return None, 0

    def _hour(self, clock: Clock) -> tuple[time, int]:
        part, half = self.parts.get("part"), self.parts.get("half")
        if clock.bare and not {"date", "weekday", "part"} & set(self.parts):
            raise Refused("duration", self._said("clock"))
        hour = clock.hour
        if isinstance(half, HalfDay):
            hour = self._looked_up(_HALVES[half.name], hour)
            if hour == 0 and "date" in self.parts:
                self._note("assumed", "midnight_am")
        if isinstance(part, DayPart):
            if part.name == "night" and clock.hour == 12 and hour != 0:
                return self._midnight(clock.minute), 1
            hour = self._looked_up(_PARTS[part.name][1], hour)
        # "Quinze para a meia-noite" is counted back from 24.
        minutes = hour * 60 + clock.minute if hour < 24 or (hour == 24 and clock.minute < 0) else -1
        if clock.minute < 0:
            minutes %= 24 * 60
        if not 0 <= minutes < 24 * 60 or clock.minute > 59 or clock.second > 59 or hour > 24:
            raise Refused("invalid_time", self._said("clock", "part", "half"))
        return time(minutes // 60, minutes % 60, clock.second), 0

    def _looked_up(self, hours: Mapping[int, int], hour: int) -> int:
        if hour not in hours:
            raise Refused("invalid_time", self._said("clock", "part", "half"))
        return hours[hour]

    def _midnight(self, minute: int) -> time:
        date_part = self.parts.get("date")
        if "weekday" in self.parts or (date_part is not None and date_part != Relative(0)):
            raise Refused("midnight", self._said("weekday", "date", "clock", "part"))
        if not 0 <= minute < 60:
            raise Refused("invalid_time", self.words["clock"])
        return time(0, minute)

    def _part_alone(self, part: DayPart) -> time:
        hour = _PARTS[part.name][0]
        if hour is None or (part.bare and not {"date", "weekday"} & set(self.parts)):
            raise Refused("vague", self.words["part"])
        return time(hour)

    # From a day to an instant.

    def _after(self, elapsed: Elapsed) -> datetime:
        if elapsed.seconds <= 0:
            raise Refused("duration", self.words["elapsed"])
        instant = self.now + timedelta(seconds=elapsed.seconds)
        self._check_year(instant.date())
        return instant.astimezone(self.zone).replace(microsecond=0)

    def _at(self, day: date) -> datetime:
        self._check_year(day)
        if "clock" not in self.parts and self.clock is None:
            return self._without_hour(day)
        if isinstance(self.parts.get("clock"), EndOfDay) and self._instant(day, END_OF_WORK) > self.now:
            self._note("assumed", "end_of_day")
        return self._existing(day + timedelta(days=self.extra_days), self.clock or MORNING)

    def _without_hour(self, day: date) -> datetime:
        """Return nine in the morning, or the last minute of today if nine has passed."""
        late = day == self.today and self._instant(day, MORNING) <= self.now
        period = self.parts.get("date")
        if late:
            self._note("assumed", "today_no_time")
        elif isinstance(period, Period | NamedPeriod) and period.edge == "end":
            self._note("assumed", "period_end")
        return self._existing(day, LAST_MINUTE if late else MORNING)

    def _existing(self, day: date, clock: time) -> datetime:
        """Return a local time as an instant: of one that is there twice the first, of one that is skipped none."""
        instant = self._instant(day, clock)
        if instant.astimezone(UTC).astimezone(self.zone).replace(tzinfo=None) != instant.replace(tzinfo=None):
            raise Refused("dst_gap", f"{clock:%H:%M}")
        return instant

    def _instant(self, day: date, clock: time) -> datetime:
        return datetime.combine(day, clock, self.zone)

    def _ahead(self, day: date) -> bool:
        """Tell whether a day is still to come: today is while its hour, or its last minute, is."""
        return self._instant(day + timedelta(days=self.extra_days), self.clock or LAST_MINUTE) > self.now

    def _check_year(self, day: date) -> None:
        if not _FIRST_YEAR <= day.year <= _LAST_YEAR:
            raise Refused("out_of_range", self.words.get("date") or self.words.get("elapsed", ""))

    # Days.

    def _day(self) -> date:
        named, weekday = self.parts.get("date"), self.parts.get("weekday")
        if named is None and not isinstance(weekday, Weekday):
            return self._day_of_hour()
        if named is None:
            assert isinstance(weekday, Weekday)
            return self._weekday(weekday)
        day = self._date(named)
        if isinstance(weekday, Weekday):
            self._check_weekday(day, weekday)
        if "relative" in self.parts and self._date(self.parts["relative"]) != day:
            raise Refused("two_dates", self._said("relative", "date"))
        return day

    def _day_of_hour(self) -> date:
        """Return the first day, from today, on which the hour is still ahead; the end of the day is always today's.

        In a zone far from the user's that may be the day after tomorrow.
        """
        if isinstance(self.parts.get("clock"), EndOfDay) or self._ahead(self.today):
            return self.today
        self._note("rolled", "hour_passed")
        tomorrow = self.today + timedelta(days=1)
        return tomorrow if self._ahead(tomorrow) else tomorrow + timedelta(days=1)

    def _check_weekday(self, day: date, weekday: Weekday) -> None:
        exact = weekday.which in ("this_week", "next_week")
        if day.weekday() != weekday.day or (exact and self._weekday(weekday) != day):
            raise Refused("contradiction", self._said("weekday", "date"))

    def _weekday(self, weekday: Weekday) -> date:
        after = self.today + timedelta(days=(weekday.day - self.today.weekday() - 1) % 7 + 1)
        monday = self.today - timedelta(days=self.today.weekday())
        in_week = monday + timedelta(days=weekday.day)
        in_next_week = in_week + timedelta(days=7)
        is_today = in_week == self.today
        if weekday.which == "this_week":
            return in_week
        if weekday.which == "next_week":
            if self.today.weekday() == 6:
                self._note("assumed", "next_week_on_sunday", day=str(weekday.day))
            return in_next_week
        if weekday.which == "this" and is_today:
            self._note("assumed", "this_is_today", day=str(weekday.day))
            return self.today
        if weekday.which == "next" and after != in_next_week:
            self._note("assumed", "next_weekday", day=str(weekday.day))
        elif weekday.which == "first" and is_today:
            self._note("assumed", "weekday_today", day=str(weekday.day))
        return after

    def _date(self, named: Component) -> date:
        match named:
            case Relative(days):
                return self.today + timedelta(days=days)
            case DayOfMonth(day, None):
                return self._next_day_of_month(day)
            case DayOfMonth(day, int(months)):
                return self._real(*_month_after(self.today, months), day)
            case Calendar(day, month, None, None):
                return self._next_calendar(day, month)
            case Calendar(day, month, year, years):
                return self._real(self.today.year + years if years is not None else year or 0, month, day)
            case Period(edge, unit, ahead):
                return self._period(edge, unit, ahead)
            case NamedPeriod(edge, month, year):
                return self._named_period(edge, month, year)
            case Later(number, unit):
                return self._later(number, unit)
        raise Refused("leftover", self.words["date"])

    def _real(self, year: int, month: int, day: int) -> date:
        if not _FIRST_YEAR <= year <= _LAST_YEAR and 1 <= month <= 12 and 1 <= day <= 31:
            raise Refused("out_of_range", self.words["date"])
        if not _exists(year, month, day):
            raise Refused("invalid_date", self.words["date"])
        return date(year, month, day)

    def _next_day_of_month(self, day: int) -> date:
        """Return the next such day, today counting; months that have none are skipped (RFC 5545 does the same)."""
        if not 1 <= day <= 31:
            raise Refused("invalid_date", self.words["date"])
        for months in range(12):
            year, month = _month_after(self.today, months)
            if not _exists(year, month, day):
                continue
            found = date(year, month, day)
            if found >= self.today and self._ahead(found):
                if months:
                    self._note("rolled", "next_month")
                return found
        raise Refused("invalid_date", self.words["date"])

    def _next_calendar(self, day: int, month: int) -> date:
        """Return the next such date, today counting; 29 February is that of the next leap year."""
        for year in range(self.today.year, self.today.year + 9):
            if not _exists(year, month, day):
                continue
            found = date(year, month, day)
            if found >= self.today and self._ahead(found):
                if year > self.today.year:
                    self._note("rolled", "next_year")
                return found
        raise Refused("invalid_date", self.words["date"])

    def _period(self, edge: str, unit: str, ahead: int) -> date:
        if unit == "week":
            return self._week(edge, ahead)
        year, month = _month_after(self.today, ahead) if unit == "month" else (self.today.year + ahead, 1)
        last_month = month if unit == "month" else 12
        first = date(year, month, 1)
        if edge == "whole" and self._later(1, unit, clamping=False) != first:
            self._note("assumed", f"next_{unit}_whole")
        return date(year, last_month, calendar.monthrange(year, last_month)[1]) if edge in ("end", "last") else first

    def _week(self, edge: str, ahead: int) -> date:
        monday = self.today - timedelta(days=self.today.weekday())
        if edge == "end":
            ended = 1 if not ahead and self.today.weekday() > 4 else 0
            return monday + timedelta(days=4 + 7 * (ahead + ended))
        if edge == "whole" and self.today.weekday():
            self._note("assumed", "next_week_whole")
        return monday + timedelta(days=7 * ahead)

    def _named_period(self, edge: str, month: int | None, year: int | None) -> date:
        years = [year] if year is not None else [self.today.year, self.today.year + 1]
        if year is not None and not _FIRST_YEAR <= year <= _LAST_YEAR:
            raise Refused("out_of_range", self.words["date"])
        for candidate in years:
            last = calendar.monthrange(candidate, month or 12)[1]
            found = date(candidate, month or 1, 1) if edge == "start" else date(candidate, month or 12, last)
            if year is not None or (found >= self.today and self._ahead(found)):
                break
        if year is None and found.year > self.today.year:
            self._note("rolled", "next_year")
        return found

    def _later(self, number: int, unit: str, clamping: bool = True) -> date:
        """Return today plus so many units; a month too short gives its last day (as dateutil does)."""
        if number <= 0:
            raise Refused("duration", self.words["date"])
        if unit in ("day", "week"):
            return self.today + timedelta(days=number * (7 if unit == "week" else 1))
        year, month = _month_after(self.today, number * (12 if unit == "year" else 1))
        self._check_year(date(year, month, 1))
        last = calendar.monthrange(year, month)[1]
        if last < self.today.day and clamping:
            self._note("rolled", "clamped")
        return date(year, month, min(self.today.day, last))


def _month_after(day: date, months: int) -> tuple[int, int]:
    total = day.year * 12 + day.month - 1 + months
    return total // 12, total % 12 + 1


def _exists(year: int, month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]
