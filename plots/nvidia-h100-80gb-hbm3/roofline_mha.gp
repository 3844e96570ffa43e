# A roofline with its data. Draw it again: gnuplot roofline_mha.gp
if (!exists("svg")) svg = "roofline_mha.svg"
if (!exists("png")) png = "roofline_mha.png"
set encoding utf8
$points << EOD
73.2338 7.7349e+12
1171.74 3.32054e+13
55.9304 1.04193e+12
894.887 1.21322e+12
59.8293 5.58893e+12
957.269 1.1859e+13
64 3.38841e+12
1024 4.73568e+12
68.4614 1.51007e+13
1095.38 3.67416e+13
EOD
$lines << EOD
10 8.0044e+13
20.1792 1.61522e+14


10 3.01396e+13
53.5914 1.61522e+14


10 3.1167e+13
51.8247 1.61522e+14


20.1792 1.61522e+14
5000 1.61522e+14


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [10:5000]
set yrange [5e+11:5e+14]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of mha: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 10.6142, 9.74675e+13 left rotate by 33.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 11.6115, 2.96794e+13 left rotate by 33.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 10.6142, 3.79513e+13 left rotate by 33.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor bf16 / 6 162 TFLOP/s' at 4709.29, 1.81231e+14 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.91 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::4-1::4-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::5-1::5-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::6-1::6-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::7-1::7-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::8-1::8-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.91 linewidth 1.0 notitle, \
  $points every ::9-1::9-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::10-1::10-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.91 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.91 linewidth 1.6 title 'large'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
