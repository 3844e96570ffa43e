# Ratio against each dimension, with its data. Draw it again: gnuplot {{name}}.gp
if (!exists("svg")) svg = "{{name}}.svg"
if (!exists("png")) png = "{{name}}.png"
set encoding utf8
# ratio, dtype, a column a dimension
$points << EOD
{{#points}}
{{.}}
{{/points}}
EOD
set border 3 linecolor rgb "#404040"
set logscale xy
set grid linetype 1 linecolor rgb "#E4E4E4"
set xtics nomirror textcolor rgb "#202020"
set ytics nomirror textcolor rgb "#202020"
set key right top horizontal samplen 0.6 font ",10" noenhanced
do for [picture=1:2] {
  if (picture == 1) {
    set terminal svg size {{width}},{{height}} font "DejaVu Sans,11" background rgb "white"
    set output svg
  } else {
    set terminal pngcairo size {{width}},{{height}} font "DejaVu Sans,11" background rgb "white"
    set output png
  }
  set multiplot layout {{rows}},{{columns}} title '{{op}}: time of the best baseline over the kernel''s, against each dimension' noenhanced
  set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb "#A3123F" linewidth 1.4 dashtype 2
{{#panels}}
  set xrange [{{x0}}:{{x1}}]
  set xlabel '{{dim}}' noenhanced
  plot {{#dtypes}}$points using ($2=={{number}}?${{column}}:NaN):1 with points pointtype 7 pointsize 0.6 linecolor rgb "{{color}}" title '{{dtype}}'{{comma}}{{/dtypes}}
{{/panels}}
  unset multiplot
  unset output
}
